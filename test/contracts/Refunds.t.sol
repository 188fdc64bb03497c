// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits, WrappedNative} from "./support/Tokens.sol";
import {BehaviourVault, Mode} from "./support/Vaults.sol";

/// @notice Rejects native money.
contract Rejecting {}

/// @notice Accepts native money and uses some gas.
contract Hungry {
    uint256 public received;
    bool public called;

    receive() external payable {
        received += msg.value;
        called = true;
    }
}

/// @notice Refunds part of the native money, as a vault with a cap would.
contract PaysBack {
    function take(uint256 back) external payable {
        payable(msg.sender).transfer(back);
    }
}

/// @notice Leftovers and donations: everything goes to refundTo, and earlier donations do no harm.
contract RefundsTest is RouterTest {
    BehaviourVault internal half;

    function setUp() public override {
        super.setUp();
        half = new BehaviourVault(address(token), Mode.TakesHalf);
    }

    function _mintOne() private view returns (Step memory) {
        return callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)));
    }

    function test_leftoverAssetGoesToRefundTo() external {
        Order memory d = depositOf(address(token), 100e18, address(half));
        address clone = nextClone();
        run(d, into(address(half)));
        eq(token.balanceOf(carol), 50e18, "half came back");
        assertEmpty(address(token), clone, address(half));
    }

    function test_listedTokensGoToRefundTo() external {
        Token reward = ordinary();
        address clone = nextClone();
        Step memory pays = callStep(address(reward), abi.encodeCall(Token.mint, (clone, 5e18)));
        vm.prank(alice);
        router.execute(simple(1e18), two(pays, vaultStep(address(token), address(vault), bob)), only(address(reward)));
        eq(reward.balanceOf(carol), 5e18, "swept");
        assertEmpty(address(reward), clone, address(vault));
    }

    function test_duplicatesInTheListAreHarmless() external {
        address[] memory sweep = new address[](3);
        (sweep[0], sweep[1], sweep[2]) = (address(token), address(token), address(half));
        vm.prank(alice);
        router.execute(depositOf(address(token), 100e18, address(half)), into(address(half)), sweep);
        eq(token.balanceOf(carol), 50e18, "once");
    }

    function test_listedAddressThatIsNoTokenIsRefused() external {
        vm.expectRevert(tokenFailed(mallory, bytes("")));
        vm.prank(alice);
        router.execute(simple(1e18), into(address(vault)), only(mallory));
    }

    function test_sharesMintedToTheExecutorArePaidOut() external {
        BehaviourVault toCaller = new BehaviourVault(address(token), Mode.MintsToCaller);
        Order memory d = depositOf(address(token), 100e18, address(toCaller));
        (d.direct, d.minOut) = (false, 100e18);
        address clone = nextClone();
        vm.prank(alice);
        eq(router.execute(d, into(address(toCaller)), only(address(toCaller))), 100e18, "what the receiver gained");
        eq(toCaller.balanceOf(bob), 100e18, "all paid out");
        assertEmpty(address(toCaller), clone, bob);
    }

    function test_sharesMintedToTheExecutorOfADirectOrderReachTheReceiverUncounted() external {
        BehaviourVault toCaller = new BehaviourVault(address(token), Mode.MintsToCaller);
        Order memory d = depositOf(address(token), 100e18, address(toCaller));
        runExpecting(outputBelow(0, 1), d, into(address(toCaller)));
        Step memory mint = callStep(address(toCaller), abi.encodeCall(Token.mint, (bob, 1)));
        eq(run(d, two(vaultStep(address(token), address(toCaller), bob), mint)), 1, "the last step alone counts");
        eq(toCaller.balanceOf(bob), 100e18 + 1, "the rest came on top");
    }

    function test_leftoverNativeGoesToRefundTo() external {
        Step memory take = callStep(address(new PaysBack()), abi.encodeCall(PaysBack.take, (0.4 ether)));
        take.value = MAX;
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        router.execute{value: 1 ether}(depositOf(NATIVE, 1 ether, address(token)), two(take, _mintOne()), none());
        eq(carol.balance, 0.4 ether, "paid back to the clone, then to refundTo");
    }

    function test_leftoverNativeGoesToAContractWithAllTheGasItNeeds() external {
        Hungry hungry = new Hungry();
        Order memory d = depositOf(NATIVE, 1 ether, address(token));
        d.refundTo = address(hungry);
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        router.execute{value: 1 ether}(d, one(_mintOne()), none());
        eq(hungry.received(), 1 ether, "taken");
    }

    function test_refundToIsNotCalledWhenNothingIsLeft() external {
        Hungry hungry = new Hungry();
        Order memory d = simple(100e18);
        d.refundTo = address(hungry);
        run(d, into(address(vault)));
        ok(!hungry.called(), "no control and no gas for nothing");
    }

    function test_leftoverNativeThatIsRejectedRevertsTheDeposit() external {
        Order memory d = depositOf(NATIVE, 1 ether, address(token));
        d.refundTo = address(new Rejecting());
        vm.deal(alice, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.RefundRejected.selector, d.refundTo, 1 ether));
        vm.prank(alice);
        router.execute{value: 1 ether}(d, one(_mintOne()), none());
        eq(alice.balance, 1 ether, "nothing lost");
    }

    function test_leftoverTokenThatIsRejectedRevertsTheDeposit() external {
        token.setBlocked(carol, true);
        runExpecting(
            tokenSaid(address(token), "blocked"),
            depositOf(address(token), 100e18, address(half)),
            into(address(half))
        );
        eq(token.balanceOf(alice), 1_000e18, "nothing lost");
    }

    function test_blockedRefundToDoesNotMatterWhenNothingIsLeft() external {
        token.setBlocked(carol, true);
        run(simple(100e18), into(address(vault)));
    }

    function test_tokensThatRefuseToMoveNothingAreNotAskedTo() external {
        Traits memory traits;
        traits.noZeroTransfer = true;
        Token lend = new Token(18, traits);
        fund(lend, alice, 100e18);
        BehaviourVault honest = new BehaviourVault(address(lend), Mode.Honest);
        vm.prank(alice);
        router.execute(
            depositOf(address(lend), 100e18, address(honest)),
            one(vaultStep(address(lend), address(honest), bob)),
            only(address(lend))
        );
    }

    function test_donatedAssetBecomesSharesAndIsNotMeasuredAsInput() external {
        token.mint(nextClone(), 7e18);
        Order memory d = simple(100e18);
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, address(token), address(vault), 100e18, 107e18, 7);
        run(d, into(address(vault)));
    }

    function test_donatedAssetDoesNotHelpToReachMinIn() external {
        Traits memory traits;
        traits.feeBps = 100;
        Token taxed = new Token(18, traits);
        fund(taxed, alice, 100e18);
        taxed.mint(nextClone(), 50e18);
        Order memory d = depositOf(address(taxed), 100e18, address(vault));
        d.minIn = 100e18;
        runExpecting(
            abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 99e18, 100e18), d, into(address(vault))
        );
    }

    function test_donatedAssetThatNoStepTakesGoesToRefundTo() external {
        token.mint(nextClone(), 7e18);
        Step memory exact = callStep(address(vault), abi.encodeWithSignature("deposit(uint256,address)", 100e18, bob));
        (exact.approveToken, exact.spender) = (address(token), address(vault));
        run(simple(100e18), one(exact));
        eq(token.balanceOf(carol), 7e18, "donation refunded");
        eq(vault.balanceOf(bob), 100e18, "shares for what was paid");
    }

    function test_donatedNativeGoesToRefundTo() external {
        vm.deal(nextClone(), 1 ether);
        run(simple(100e18), into(address(vault)));
        eq(carol.balance, 1 ether, "donation refunded");
    }

    function test_donatedNativeDoesNotBlockARefundToThatTakesNone() external {
        address clone = nextClone();
        vm.deal(clone, 1);
        Order memory d = simple(100e18);
        d.refundTo = address(new Rejecting());
        run(d, into(address(vault)));
        eq(vault.balanceOf(bob), 100e18, "deposited");
        eq(clone.balance, 1, "the donor's loss");
    }

    function test_donatedNativeDoesNotHideARealLeftover() external {
        vm.deal(nextClone(), 1);
        Order memory d = depositOf(NATIVE, 1 ether, address(token));
        d.refundTo = address(new Rejecting());
        vm.deal(alice, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.RefundRejected.selector, d.refundTo, 1 ether + 1));
        vm.prank(alice);
        router.execute{value: 1 ether}(d, one(_mintOne()), none());
    }

    function test_donatedTokenThatIsNotListedStaysForEver() external {
        Token junk = ordinary();
        address clone = nextClone();
        junk.mint(clone, 1);
        run(simple(100e18), into(address(vault)));
        eq(junk.balanceOf(clone), 1, "nobody pays gas for junk");
    }
}
