// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits} from "./support/Tokens.sol";
import {BehaviourVault, Mode} from "./support/Vaults.sol";

/// @notice Errors before the first step and after the last one.
contract RefusalsTest is RouterTest {
    function _refuse(bytes memory failure, Order memory d) private {
        runExpecting(failure, d, into(address(vault)));
        eq(token.balanceOf(alice), 1_000e18, "sender keeps the money");
        eq(vault.balanceOf(bob), 0, "no shares");
    }

    function test_zeroAmount() external {
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroAmount.selector), simple(0));
    }

    function test_everythingOfNothing() external {
        vm.expectRevert(IDepositRouter.ZeroAmount.selector);
        vm.prank(bob);
        router.execute(simple(MAX), into(address(vault)), none());
    }

    function test_everythingOfNoNative() external {
        vm.expectRevert(IDepositRouter.ZeroAmount.selector);
        router.execute(depositOf(NATIVE, MAX, address(vault)), into(address(vault)), none());
    }

    function test_zeroMinIn() external {
        Order memory d = simple(1e18);
        d.minIn = 0;
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroMinIn.selector), d);
    }

    function test_zeroMinShares() external {
        Order memory d = simple(1e18);
        d.minOut = 0;
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroMinOut.selector), d);
    }

    function test_zeroReceiver() external {
        Order memory d = simple(1e18);
        d.receiver = address(0);
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroReceiver.selector), d);
    }

    function test_zeroRefundTo() external {
        Order memory d = simple(1e18);
        d.refundTo = address(0);
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroRefundTo.selector), d);
    }

    function test_receiverIsRouterExecutorOrClone() external {
        address[3] memory ours = [address(router), implementation, nextClone()];
        for (uint256 i = 0; i < 3; ++i) {
            Order memory d = simple(1e18);
            d.receiver = ours[i];
            _refuse(abi.encodeWithSelector(IDepositRouter.ReceiverForbidden.selector, ours[i]), d);
        }
    }

    function test_refundToIsRouterExecutorOrClone() external {
        address[3] memory ours = [address(router), implementation, nextClone()];
        for (uint256 i = 0; i < 3; ++i) {
            Order memory d = simple(1e18);
            d.refundTo = ours[i];
            _refuse(abi.encodeWithSelector(IDepositRouter.RefundToForbidden.selector, ours[i]), d);
        }
    }

    function test_deadlinePassedByOneSecond() external {
        Order memory d = simple(1e18);
        d.deadline = block.timestamp - 1;
        _refuse(abi.encodeWithSelector(IDepositRouter.DeadlinePassed.selector, d.deadline, block.timestamp), d);
    }

    function test_shareTokenIsTheAsset() external {
        Order memory d = depositOf(address(token), 1e18, address(token));
        _refuse(abi.encodeWithSelector(IDepositRouter.SameToken.selector, token), d);
    }

    function test_nativeForNativeIsRefused() external {
        vm.deal(alice, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.SameToken.selector, address(0)));
        vm.prank(alice);
        router.execute{value: 1 ether}(depositOf(NATIVE, 1 ether, NATIVE), into(address(vault)), none());
    }

    function test_shareTokenWithoutCode() external {
        _refuse(
            tokenFailed(mallory, bytes("")),
            depositOf(address(token), 1e18, mallory)
        );
    }

    function test_assetWithoutCode() external {
        _refuse(
            tokenFailed(mallory, bytes("")),
            depositOf(mallory, 1e18, address(vault))
        );
    }

    function test_assetThatIsAPrecompile() external {
        for (uint160 precompile = 1; precompile < 10; ++precompile) {
            Order memory d = depositOf(address(precompile), 1e18, address(vault));
            // Some return a number for a balance query (a hash, an echo) and some burn all gas.
            (bool done,) = address(router).call{gas: 1_000_000}(
                abi.encodeCall(IDepositRouter.execute, (d, into(address(vault)), none()))
            );
            ok(!done, "no asset");
        }
    }

    function test_nativeValueTooLowTooHighAndUnasked() external {
        vm.deal(alice, 10 ether);
        uint256[3] memory sent = [uint256(1 ether - 1), 1 ether + 1, 0];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDepositRouter.NativeValueMismatch.selector, sent[i], 1 ether));
            vm.prank(alice);
            router.execute{value: sent[i]}(depositOf(NATIVE, 1 ether, address(vault)), into(address(vault)), none());
        }
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.NativeValueMismatch.selector, 1, 0));
        vm.prank(alice);
        router.execute{value: 1}(simple(1e18), into(address(vault)), none());
    }

    function test_nativeBelowMinIn() external {
        vm.deal(alice, 1 ether);
        Order memory d = depositOf(NATIVE, MAX, address(vault));
        d.minIn = 1 ether + 1;
        vm.expectRevert(abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 1 ether, 1 ether + 1));
        vm.prank(alice);
        router.execute{value: 1 ether}(d, into(address(vault)), none());
    }

    function test_lessThanMinInArrived() external {
        Traits memory traits;
        traits.feeBps = 100;
        Token taxed = new Token(18, traits);
        fund(taxed, alice, 100e18);
        Order memory d = depositOf(address(taxed), 100e18, address(vault));
        d.minIn = 99e18 + 1;
        runExpecting(
            abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 99e18, 99e18 + 1), d, into(address(vault))
        );
    }

    function test_exactlyMinInAndExactlyMinSharesAreEnough() external {
        Order memory d = simple(100e18);
        (d.minIn, d.minOut) = (100e18, 100e18);
        run(d, into(address(vault)));
        d.minIn = 100e18 + 1;
        runExpecting(
            abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 100e18, 100e18 + 1),
            d,
            into(address(vault))
        );
    }

    function test_oneShareTooFew() external {
        Order memory d = simple(100e18);
        d.minOut = 100e18 + 1;
        _refuse(outputBelow(100e18, 100e18 + 1), d);
    }

    function test_receiversBalanceThatFellCountsAsZero() external {
        BehaviourVault shares = new BehaviourVault(address(token), Mode.Honest);
        shares.mint(bob, 5);
        Step memory burn = callStep(address(shares), abi.encodeCall(Token.burn, (bob, 5)));
        Order memory d = depositOf(address(token), 1e18, address(shares));
        runExpecting(outputBelow(0, 1), d, one(burn));
    }

    function test_noStepsNoShares() external {
        Step[] memory nothing;
        runExpecting(outputBelow(0, 1), simple(1e18), nothing);
        eq(token.balanceOf(alice), 1_000e18, "sender keeps the money");
    }

    function test_tooLittleAllowanceSaysWhatTheTokenSays() external {
        vm.prank(alice);
        token.approve(address(router), 1e18 - 1);
        _refuse(tokenSaid(address(token), "allowance"), simple(1e18));
    }

    function test_tooLittleBalanceSaysWhatTheTokenSays() external {
        _refuse(tokenSaid(address(token), "balance"), simple(1_000e18 + 1));
    }

    function test_tokenThatSaysFalseIsRefused() external {
        Traits memory traits;
        traits.falseForFailure = true;
        Token polite = new Token(18, traits);
        Order memory d = depositOf(address(polite), 1e18, address(vault));
        runExpecting(tokenFailed(address(polite), abi.encode(false)), d, into(address(vault)));
    }

    function test_tokenThatAnswersTooShortIsRefused() external {
        Traits memory traits;
        traits.shortTrue = true;
        Token curt = new Token(18, traits);
        fund(curt, alice, 1e18);
        Order memory d = depositOf(address(curt), 1e18, address(vault));
        runExpecting(tokenFailed(address(curt), hex"00"), d, into(address(vault)));
    }

    function test_plainNativeIsNotTaken() external {
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        (bool taken,) = address(router).call{value: 1}("");
        ok(!taken, "no receive function");
        vm.prank(alice);
        (taken,) = address(router).call{value: 1}(hex"12345678");
        ok(!taken, "no fallback function");
    }
}
