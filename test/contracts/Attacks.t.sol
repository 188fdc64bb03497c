// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, IExecutor, Order, Step} from "./support/IDepositRouter.sol";
import {Intruder} from "./support/Intruder.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {DoubleEntry, RebasingToken, Token, Traits} from "./support/Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault, SolmateVault} from "./support/Vaults.sol";

/// @notice Forces all its native money to an address by selfdestruct.
contract Forcer {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}

/// @notice A share token whose balances its owner sets.
contract PuppetShares {
    mapping(address => uint256) public balanceOf;

    function set(address account, uint256 balance) external {
        balanceOf[account] = balance;
    }
}

/// @notice Attacks by an account that gets control mid-deposit, prepares state in advance, or chooses the steps.
contract AttacksTest is RouterTest {
    Intruder internal intruder;
    BehaviourVault internal hostile;

    function setUp() public override {
        super.setUp();
        intruder = new Intruder();
        hostile = new BehaviourVault(address(token), Mode.Reenters);
        hostile.setHook(address(intruder));
        token.mint(address(intruder), 10e18);
        intruder.approve(token, address(router));
        intruder.plan(address(router), 0, _nested());
    }

    function _nested() private view returns (bytes memory) {
        Order memory d = depositOf(address(token), 1e18, address(vault));
        (d.receiver, d.refundTo) = (mallory, mallory);
        return
            abi.encodeCall(IDepositRouter.execute, (d, one(vaultStep(address(token), address(vault), mallory)), none()));
    }

    function _assertShutOut() private view {
        ok(intruder.calls() != 0, "had control");
        ok(!intruder.succeeded(), "got nowhere");
        eq(intruder.answer(), abi.encodeWithSelector(IDepositRouter.Reentered.selector), "because of the lock");
        eq(vault.balanceOf(mallory), 0, "no nested deposit");
    }

    function test_reentryFromTheVault() external {
        run(depositOf(address(token), 10e18, address(hostile)), into(address(hostile)));
        _assertShutOut();
    }

    function test_reentryFromTheHookOfTheSender() external {
        token.setHook(alice, address(intruder));
        run(simple(10e18), into(address(vault)));
        _assertShutOut();
    }

    function test_reentryFromTheHookOfARecipient() external {
        token.setHook(address(vault), address(intruder));
        run(simple(10e18), into(address(vault)));
        _assertShutOut();
    }

    function test_reentryFromTheRefundOfATokenWithHooks() external {
        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        token.setHook(carol, address(intruder));
        run(depositOf(address(token), 10e18, address(half)), into(address(half)));
        _assertShutOut();
    }

    function test_reentryFromTheRefundOfNative() external {
        Order memory d = depositOf(NATIVE, 1 ether, address(token));
        d.refundTo = address(intruder);
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        router.execute{value: 1 ether}(d, one(callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)))), none());
        _assertShutOut();
    }

    function test_reentryFromTheShareToken() external {
        BehaviourVault toCaller = new BehaviourVault(address(token), Mode.MintsToCaller);
        toCaller.setHook(address(0));
        toCaller.setSpy(address(intruder));
        Order memory d = depositOf(address(token), 10e18, address(toCaller));
        d.direct = false;
        run(d, into(address(toCaller)));
        _assertShutOut();
    }

    function test_reentryThatInsistsFailsTheWholeDeposit() external {
        intruder.insist();
        runExpecting(
            stepSaid(0, "insists"),
            depositOf(address(token), 10e18, address(hostile)),
            into(address(hostile))
        );
        eq(token.balanceOf(alice), 1_000e18, "nothing lost");
    }

    function test_lockIsOpenAgainAfterAFailure() external {
        runExpecting(
            outputBelow(0, 1), simple(1e18), new Step[](0)
        );
        run(simple(1e18), into(address(vault)));
    }

    function test_intruderCannotDriveTheRunningClone() external {
        intruder.plan(nextClone(), 0, driveData(new Step[](0), address(token)));
        run(depositOf(address(token), 10e18, address(hostile)), into(address(hostile)));
        eq(intruder.calls(), 1, "had control");
        eq(intruder.answer(), abi.encodeWithSelector(IDepositRouter.OnlyRouter.selector), "was refused");
    }

    function test_cloneCannotBeDrivenBeforeItExists() external {
        address clone = nextClone();
        (bool done,) = clone.call(driveData(new Step[](0), address(token)));
        ok(done && clone.code.length == 0, "a call of nothing");
        eq(run(simple(10e18), into(address(vault))), 10e18, "leaves no trace");
    }

    /// @dev With a long-lived executor, leftovers can be stolen: approve yourself in your own deposit, get control in
    /// another one, and transfer the executor's current balance.
    function test_approvalGivenInOneDepositIsWorthNothingInTheNext() external {
        Step memory plant = callStep(address(token), abi.encodeCall(Token.approve, (address(intruder), MAX)));
        address planted = nextClone();
        token.mint(mallory, 1e18);
        vm.prank(mallory);
        token.approve(address(router), MAX);
        vm.prank(mallory);
        router.execute(simple(1e18), two(plant, vaultStep(address(token), address(vault), bob)), none());
        eq(token.allowance(planted, address(intruder)), MAX, "planted");

        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        half.setHook(address(intruder));
        address fresh = nextClone();
        intruder.plan(address(token), 0, abi.encodeCall(Token.transferFrom, (fresh, mallory, 1)));
        run(depositOf(address(token), 100e18, address(half)), into(address(half)));
        ok(intruder.calls() == 1 && !intruder.succeeded(), "the clone of this deposit approved nobody");
        eq(token.balanceOf(carol), 50e18, "the leftover is whole");
    }

    function test_userWhoApprovedTheNextCloneLosesNothingToTheLockedOut() external {
        vm.prank(victim);
        token.approve(nextClone(), MAX);
        intruder.plan(nextClone(), 0, driveData(new Step[](0), address(token)));
        run(depositOf(address(token), 10e18, address(hostile)), into(address(hostile)));
        eq(token.balanceOf(victim), 1_000_000e18, "only the steps of this deposit run in it");
    }

    function test_vaultThatIsLentControlTakesNoMoreThanItWasApproved() external {
        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        half.setHook(address(intruder));
        intruder.plan(address(token), 0, abi.encodeCall(Token.transferFrom, (alice, mallory, 1)));
        run(depositOf(address(token), 100e18, address(half)), into(address(half)));
        eq(token.balanceOf(alice), 900e18, "alice's unlimited approval is of the Router alone");
        eq(token.balanceOf(mallory), 0, "nothing taken");
    }

    function test_spenderMayPullOnlyWhileItsStepRuns() external {
        Step memory lends = callStep(address(token), abi.encodeCall(Token.mint, (carol, 0)));
        (lends.approveToken, lends.spender) = (address(token), address(intruder));
        intruder.plan(address(token), 0, abi.encodeCall(Token.transferFrom, (nextClone(), mallory, 1)));
        run(
            depositOf(address(token), 10e18, address(hostile)),
            two(lends, vaultStep(address(token), address(hostile), bob))
        );
        ok(intruder.calls() == 1 && !intruder.succeeded(), "the allowance was gone");
    }

    function test_victimNamedAsReceiverAndRefundToPaysNothing() external {
        Order memory d = simple(10e18);
        (d.receiver, d.refundTo) = (victim, victim);
        run(d, one(vaultStep(address(token), address(vault), victim)));
        eq(token.balanceOf(victim), 1_000_000e18, "no loss");
        eq(token.balanceOf(alice), 990e18, "the caller paid");
    }

    function test_sharesOfSomebodyElsesDepositCountOnce() external {
        intruder.plan(address(hostile), 0, abi.encodeCall(Token.mint, (bob, 5e18)));
        Order memory d = depositOf(address(token), 10e18, address(hostile));
        eq(run(d, into(address(hostile))), 15e18, "a gift in the middle is the receiver's");
        eq(hostile.balanceOf(bob), 15e18, "and really there");
    }

    function test_vaultThatMintsLaterIsNoDeposit() external {
        hostile.setMode(Mode.MintsLater);
        hostile.setHook(address(0));
        runExpecting(
            outputBelow(0, 1),
            depositOf(address(token), 10e18, address(hostile)),
            into(address(hostile))
        );
    }

    function test_vaultThatLiesAboutTheSharesIsMeasured() external {
        hostile.setMode(Mode.LiesInReturn);
        hostile.setHook(address(0));
        Order memory d = depositOf(address(token), 10e18, address(hostile));
        d.minOut = 5e18 + 1;
        runExpecting(
            outputBelow(5e18, 5e18 + 1),
            d,
            into(address(hostile))
        );
        d.minOut = 5e18;
        eq(run(d, into(address(hostile))), 5e18, "what is there, not what was said");
    }

    function test_shareTokenThatIsAPuppetDeceivesOnlyWhoChoseIt() external {
        PuppetShares puppet = new PuppetShares();
        Step memory pretend = callStep(address(puppet), abi.encodeCall(PuppetShares.set, (bob, 1_000_000e18)));
        Order memory d = depositOf(address(token), 10e18, address(puppet));
        run(d, one(pretend));
        eq(token.balanceOf(carol), 10e18, "the money went back to refundTo");
        eq(token.balanceOf(victim), 1_000_000e18, "nobody else is concerned");
    }

    function test_secondAddressOfTheInputAsOutputDeceivesOnlyWhoChoseIt() external {
        DoubleEntry alias_ = new DoubleEntry(token);
        Order memory d = depositOf(address(token), 10e18, address(alias_));
        (d.direct, d.refundTo) = (false, bob);
        runExpecting(tokenFailed(address(alias_), bytes("")), d, new Step[](0));
        eq(token.balanceOf(alice), 1_000e18, "the second address moves nothing here");
    }

    function test_eventOfAFakeVaultNamesTheFakeVault() external {
        BehaviourVault fake = new BehaviourVault(address(token), Mode.TakesNothing);
        Order memory d = depositOf(address(token), 10e18, address(fake));
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, address(token), address(fake), 10e18, 10e18, 7);
        run(d, into(address(fake)));
        eq(token.balanceOf(carol), 10e18, "it cost him nothing: an indexer must know its vaults");
    }

    function test_nativeForcedIntoTheCloneInTheMiddleIsRefunded() external {
        vm.deal(address(intruder), 1 ether);
        intruder.plan(nextClone(), 1 ether, "");
        run(depositOf(address(token), 10e18, address(hostile)), into(address(hostile)));
        eq(carol.balance, 1 ether, "refunded like any leftover");
    }

    function test_nativeForcedByDestructionBeforehandIsRefunded() external {
        vm.deal(address(this), 2 ether);
        new Forcer{value: 1 ether}(payable(nextClone()));
        new Forcer{value: 1 ether}(payable(address(router)));
        run(simple(10e18), into(address(vault)));
        eq(carol.balance, 1 ether, "the clone's");
        eq(address(router).balance, 1 ether, "the Router's is out of everybody's reach");
    }

    function test_assetThatRebasesInTheMiddleIsMeasuredLive() external {
        RebasingToken rebasing = new RebasingToken();
        fund(rebasing, alice, 100e18);
        BehaviourVault toCaller = new BehaviourVault(address(rebasing), Mode.Honest);
        Step memory slash = callStep(address(rebasing), abi.encodeCall(RebasingToken.setIndex, (0.5e18)));
        Order memory d = depositOf(address(rebasing), 100e18, address(toCaller));
        vm.prank(alice);
        router.execute(d, two(slash, vaultStep(address(rebasing), address(toCaller), bob)), none());
        ok(toCaller.balanceOf(bob) != 0, "deposited what was left, not what had arrived");
    }

    function test_pausedAndBlockedTokensRevertWhole() external {
        token.setPaused(true);
        runExpecting(tokenSaid(address(token), "paused"), simple(1e18), into(address(vault)));
        token.setPaused(false);
        token.setBlocked(address(vault), true);
        runExpecting(stepSaid(0, "blocked"), simple(1e18), into(address(vault)));
        token.setUnreadable(true);
        runExpecting(
            tokenSaid(address(token), "unreadable"), simple(1e18), into(address(vault))
        );
    }

    function test_phantomFunctionsOfATokenMoveNothing() external {
        Traits memory traits;
        traits.fallbackSelector = true;
        Token weth = new Token(18, traits);
        fund(weth, victim, 5e18);
        fund(weth, alice, 5e18);
        BehaviourVault honest = new BehaviourVault(address(weth), Mode.Honest);
        Step memory permit = callStep(
            address(weth),
            abi.encodeWithSignature(
                "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", victim, mallory, MAX, MAX, 27, 0, 0
            )
        );
        Step memory take = callStep(address(weth), abi.encodeCall(Token.transferFrom, (victim, mallory, 5e18)));
        Order memory d = depositOf(address(weth), 5e18, address(honest));
        runExpecting(stepSaid(1, "allowance"), d, two(permit, take));
        run(d, two(permit, vaultStep(address(weth), address(honest), bob)));
        eq(weth.balanceOf(victim), 5e18, "a permit that is swallowed permits nothing");
    }

    function _inflate(address vault_, uint256 donation) private {
        token.mint(mallory, donation + 1);
        vm.prank(mallory);
        token.approve(vault_, MAX);
        vm.prank(mallory);
        OpenZeppelinVault(vault_).deposit(1, mallory);
        vm.prank(mallory);
        token.transfer(vault_, donation);
    }

    function test_firstDepositorsInflationMeetsTheFloor() external {
        Order memory d = simple(100e18);
        d.minOut = 99e18;
        _inflate(address(vault), 100e18);
        runExpecting(
            outputBelow(1, 99e18), d, into(address(vault))
        );
        eq(token.balanceOf(alice), 1_000e18, "sender keeps the money");
    }

    function test_firstDepositorsInflationOfSolmate() external {
        SolmateVault solmate = new SolmateVault(address(token));
        _inflate(address(solmate), 100e18);
        runExpecting(
            stepSaid(0, "ZERO_SHARES"),
            depositOf(address(token), 100e18, address(solmate)),
            into(address(solmate))
        );
    }

    function test_stepThatEatsAllGasFailsTheDepositAndNoMore() external {
        Step memory spin = callStep(address(new Spinner()), "");
        Step[] memory steps = two(spin, vaultStep(address(token), address(vault), bob));
        vm.prank(alice);
        (bool done,) =
            address(router).call{gas: 2_000_000}(abi.encodeCall(IDepositRouter.execute, (simple(1e18), steps, none())));
        ok(!done, "out of gas");
        eq(token.balanceOf(alice), 1_000e18, "nothing lost");
        run(simple(1e18), into(address(vault)));
    }

    function test_tooLittleGasForTheCloneSaysSo() external {
        Order memory d = simple(1e18);
        Step[] memory steps = into(address(vault));
        bool seen;
        for (uint256 gas_ = 20_000; gas_ < 300_000 && !seen; gas_ += 250) {
            vm.prank(alice);
            (bool done, bytes memory reason) =
                address(router).call{gas: gas_}(abi.encodeCall(IDepositRouter.execute, (d, steps, none())));
            ok(!done, "not enough for a deposit");
            seen = keccak256(reason) == keccak256(abi.encodeWithSelector(IDepositRouter.CloneFailed.selector));
        }
        ok(seen, "no deposit runs without its clone");
    }
}

contract Spinner {
    fallback() external {
        while (true) {}
    }
}
