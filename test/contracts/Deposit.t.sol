// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits, WrappedNative} from "./support/Tokens.sol";
import {BehaviourVault, IVault, Mode, OpenZeppelinVault, SolmateVault} from "./support/Vaults.sol";

/// @notice Stand-in for a bridge's executor: holds the delivery and makes a given call.
contract BridgeExecutor {
    function complete(address token, address router, bytes calldata data) external payable {
        if (token != address(0)) Token(token).approve(router, type(uint256).max);
        (bool done, bytes memory reason) = router.call{value: msg.value}(data);
        if (!done) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
    }
}

/// @notice Converts one token into another at two for one, as an unwrap or swap step would.
contract Converter {
    function convert(Token from, Token to, uint256 amount) external {
        from.transferFrom(msg.sender, address(this), amount);
        to.mint(msg.sender, amount * 2);
    }
}

/// @notice Successful deposits.
contract DepositTest is RouterTest {
    function test_openZeppelinVaultGivesThePreviewedShares() external {
        uint256 preview = vault.previewDeposit(100e18);
        Order memory d = simple(100e18);
        d.minOut = preview;
        eq(run(d, into(address(vault))), preview, "returned");
        eq(vault.balanceOf(bob), preview, "receiver's shares");
        eq(token.balanceOf(alice), 900e18, "sender paid");
        eq(token.balanceOf(carol), 0, "nothing left over");
    }

    function test_solmateVaultGivesThePreviewedShares() external {
        SolmateVault solmate = new SolmateVault(address(token));
        uint256 preview = solmate.previewDeposit(100e18);
        Order memory d = depositOf(address(token), 100e18, address(solmate));
        d.minOut = preview;
        eq(run(d, into(address(solmate))), preview, "returned");
        eq(solmate.balanceOf(bob), preview, "receiver's shares");
    }

    function test_sharesWithMoreDecimalsThanTheAsset() external {
        Traits memory plain;
        Token usdc = new Token(6, plain);
        fund(usdc, alice, 500e6);
        OpenZeppelinVault metaMorphoLike = new OpenZeppelinVault(address(usdc), 12);
        Order memory d = depositOf(address(usdc), 500e6, address(metaMorphoLike));
        d.minOut = 500e18;
        eq(run(d, one(vaultStep(address(usdc), address(metaMorphoLike), bob))), 500e18, "shares");
    }

    function test_sharesAddToWhatTheReceiverHad() external {
        run(simple(100e18), into(address(vault)));
        Order memory d = simple(50e18);
        d.minOut = 50e18;
        eq(run(d, into(address(vault))), 50e18, "only the rise counts");
        eq(vault.balanceOf(bob), 150e18, "receiver's shares");
    }

    function test_oneAccountInAllThreeRoles() external {
        Order memory d = simple(100e18);
        (d.receiver, d.refundTo) = (alice, alice);
        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        d.tokenOut = address(half);
        run(d, one(vaultStep(address(token), address(half), alice)));
        eq(token.balanceOf(alice), 950e18, "half came back");
        eq(half.balanceOf(alice), 50e18, "shares");
    }

    function test_eventTellsWhatWasMeasured() external {
        Order memory d = simple(100e18);
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, address(token), address(vault), 100e18, 100e18, 7);
        run(d, into(address(vault)));
    }

    function test_eventTellsWhatArrivedAfterFees() external {
        Traits memory traits;
        traits.feeBps = 50;
        Token taxed = new Token(18, traits);
        fund(taxed, alice, 100e18);
        BehaviourVault honest = new BehaviourVault(address(taxed), Mode.Honest);
        Order memory d = depositOf(address(taxed), 100e18, address(honest));
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted(
            "ref", "partner", bob, alice, address(taxed), address(honest), 99.5e18, 99.0025e18, 7
        );
        run(d, one(vaultStep(address(taxed), address(honest), bob)));
    }

    function test_oneReferenceMayBeUsedTwice() external {
        run(simple(10e18), into(address(vault)));
        run(simple(10e18), into(address(vault)));
        eq(vault.balanceOf(bob), 20e18, "both ran; telling them apart is the indexer's work");
    }

    function test_allOfTheSendersBalance() external {
        eq(run(simple(MAX), into(address(vault))), 1_000e18, "everything");
        eq(token.balanceOf(alice), 0, "nothing kept");
    }

    function test_bridgeThatDeliversLessThanItSaid() external {
        BridgeExecutor bridge = new BridgeExecutor();
        token.mint(address(bridge), 99.7e18);
        Order memory d = simple(MAX);
        (d.minIn, d.minOut) = (99.5e18, 99.5e18);
        bridge.complete(
            address(token), address(router), abi.encodeCall(IDepositRouter.execute, (d, into(address(vault)), none()))
        );
        eq(vault.balanceOf(bob), 99.7e18, "what arrived was deposited");
        eq(token.balanceOf(address(bridge)), 0, "nothing stays with the bridge");
    }

    function test_bridgeThatDeliversTooLittleGetsARevert() external {
        BridgeExecutor bridge = new BridgeExecutor();
        token.mint(address(bridge), 99.4e18);
        Order memory d = simple(MAX);
        d.minIn = 99.5e18;
        bytes memory data = abi.encodeCall(IDepositRouter.execute, (d, into(address(vault)), none()));
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 99.4e18, 99.5e18));
        bridge.complete(address(token), address(router), data);
        eq(token.balanceOf(address(bridge)), 99.4e18, "so that its own refund can run");
    }

    function _nativeSteps(WrappedNative weth, address vault_) private view returns (Step[] memory) {
        Step memory wrap = callStep(address(weth), abi.encodeCall(WrappedNative.deposit, ()));
        wrap.value = MAX;
        return two(wrap, vaultStep(address(weth), vault_, bob));
    }

    function test_nativeIsWrappedAndDeposited() external {
        WrappedNative weth = new WrappedNative();
        BehaviourVault honest = new BehaviourVault(address(weth), Mode.Honest);
        Order memory d = depositOf(NATIVE, 3 ether, address(honest));
        (d.minIn, d.minOut) = (3 ether, 3 ether);
        vm.deal(alice, 5 ether);
        vm.prank(alice);
        router.execute{value: 3 ether}(d, _nativeSteps(weth, address(honest)), only(address(weth)));
        eq(honest.balanceOf(bob), 3 ether, "shares");
        eq(alice.balance, 2 ether, "sender paid");
    }

    function test_allOfTheNativeThatWasSent() external {
        WrappedNative weth = new WrappedNative();
        BehaviourVault honest = new BehaviourVault(address(weth), Mode.Honest);
        Order memory d = depositOf(NATIVE, MAX, address(honest));
        vm.deal(alice, 5 ether);
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, NATIVE, address(honest), 3 ether, 3 ether, 7);
        vm.prank(alice);
        router.execute{value: 3 ether}(d, _nativeSteps(weth, address(honest)), none());
    }

    function test_unwrappingFitsTheGasOfTransfer() external {
        WrappedNative weth = new WrappedNative();
        vm.deal(alice, 2 ether);
        vm.prank(alice);
        weth.deposit{value: 2 ether}();
        vm.prank(alice);
        weth.approve(address(router), MAX);
        Step memory unwrap = callStep(address(weth), abi.encodeCall(WrappedNative.withdraw, (0)));
        unwrap.patches = patch(address(weth), 4);
        Step memory mint = callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)));
        vm.prank(alice);
        router.execute(depositOf(address(weth), 2 ether, address(token)), two(unwrap, mint), none());
        eq(carol.balance, 2 ether, "unwrapped by a step, so it is a leftover");
    }

    function test_stepsFeedOneAnother() external {
        Token other = ordinary();
        Converter converter = new Converter();
        BehaviourVault honest = new BehaviourVault(address(other), Mode.Honest);
        Step memory convert = callStep(address(converter), abi.encodeCall(Converter.convert, (token, other, 0)));
        convert.approveToken = address(token);
        convert.spender = address(converter);
        convert.patches = patch(address(token), 68);
        Order memory d = depositOf(address(token), 100e18, address(honest));
        eq(run(d, two(convert, vaultStep(address(other), address(honest), bob))), 200e18, "two for one, all of it");
    }

    function test_deadlineIsTheLastSecondThatWorks() external {
        Order memory d = simple(1e18);
        d.deadline = block.timestamp;
        run(d, into(address(vault)));
        d.deadline = MAX;
        run(d, into(address(vault)));
    }

    function test_eachDepositHasItsOwnClone() external {
        address first = nextClone();
        eq(first.code.length, 0, "nobody has been there");
        run(simple(10e18), into(address(vault)));
        address second = nextClone();
        run(simple(10e18), into(address(vault)));
        ok(first != second, "never the same address twice");
        bytes memory minimal =
            abi.encodePacked(hex"363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3");
        eq(first.code, minimal, "EIP-1167");
        eq(second.code, minimal, "EIP-1167");
    }

    function test_hundredStepsHundredSweepsAndHundredKilobytes() external {
        Step[] memory steps = new Step[](100);
        for (uint256 i = 0; i < 99; ++i) {
            steps[i] = callStep(address(token), abi.encodeCall(Token.mint, (mallory, 1)));
        }
        Step memory last = vaultStep(address(token), address(vault), bob);
        last.data = bytes.concat(last.data, new bytes(100_000));
        steps[99] = last;
        address[] memory sweep = new address[](100);
        for (uint256 i = 0; i < 100; ++i) {
            sweep[i] = i % 2 == 0 ? address(token) : address(vault);
        }
        vm.prank(alice);
        eq(router.execute(simple(10e18), steps, sweep), 10e18, "shares");
        eq(token.balanceOf(mallory), 99, "each step ran");
    }

    function test_senderWithCodeOfEip7702() external {
        vm.setEvmVersion("prague");
        uint256 key = 0xa11ce;
        vm.attachDelegation(vm.signDelegation(address(new BridgeExecutor()), key));
        address delegated = vm.addr(key);
        ok(delegated.code.length != 0, "has code");
        fund(token, delegated, 10e18);
        Order memory d = simple(10e18);
        (d.receiver, d.refundTo) = (delegated, delegated);
        vm.prank(delegated);
        router.execute(d, one(vaultStep(address(token), address(vault), delegated)), none());
        eq(vault.balanceOf(delegated), 10e18, "treated like any other account");
    }

    function test_forcedNativeDoesNotDisturbTheRouter() external {
        vm.deal(address(router), 1 ether);
        run(simple(10e18), into(address(vault)));
        WrappedNative weth = new WrappedNative();
        BehaviourVault honest = new BehaviourVault(address(weth), Mode.Honest);
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        router.execute{value: 1 ether}(
            depositOf(NATIVE, MAX, address(honest)), _nativeSteps(weth, address(honest)), none()
        );
        eq(honest.balanceOf(bob), 1 ether, "only what was sent");
        eq(address(router).balance, 1 ether, "nobody can take what was forced in");
    }

    function test_onlyTheLockIsStored() external {
        vm.record();
        run(simple(10e18), into(address(vault)));
        (, bytes32[] memory writes) = vm.accesses(address(router));
        for (uint256 i = 0; i < writes.length; ++i) {
            eq(writes[i], bytes32(0), "slot of the lock");
        }
        eq(uint256(vm.load(address(router), bytes32(0))), 1, "unlocked");
    }

    function test_lockThatWasNeverWrittenIsUnlocked() external {
        vm.store(address(router), bytes32(0), bytes32(0));
        eq(run(simple(10e18), into(address(vault))), 10e18, "as where a simulation puts the code alone in place");
    }
}
